"""The rules a second time: slow, plain, and written from the rules' text alone, as a referee."""
