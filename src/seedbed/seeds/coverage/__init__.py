"""Strategies that choose seeds by what they cover (Zheng, Dmitriev, Giles 2009)."""
