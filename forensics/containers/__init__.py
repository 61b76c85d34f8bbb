"""The kinds of archive, one module for each. All of them give the same records, so that evidence reads the same
whether it lies in a folder, a zip or a tar."""
