def total(cart):
    return 0
