"""Strategies that choose seeds from bipartite cores (Daneshpajouh, Nasiri, Ghodsi 2008), and trawling."""
