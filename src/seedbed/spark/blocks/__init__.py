"""The blocks of a web: their files, how they are cut from links, and what is made of them."""
