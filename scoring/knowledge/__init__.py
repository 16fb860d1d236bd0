"""A knowledge base of entities with texts and pictures, found by their embeddings. No Django.

records.py   a JSONL file read strictly
shelf.py     entities and vectors in SQLite files
indices.py   FAISS, imported when an index is opened
building.py  a knowledge base from a JSONL file: what is known already is not encoded again
base.py      an open knowledge base: nearest pictures, nearest texts, similarities
"""
