"""Speed on this machine, beside other libraries in the same run: what `teahouse bench` prints."""
