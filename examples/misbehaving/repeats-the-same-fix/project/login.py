def open_session(user):
    return {"user": user}
