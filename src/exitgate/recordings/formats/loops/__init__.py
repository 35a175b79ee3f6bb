"""What loops write of themselves: lines of consoles and logs, times, names of files, and what they mean."""
