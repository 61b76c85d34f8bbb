"""What one file says on its own: its lowering to the intermediate representation."""
