"""Prolific, as a study's researcher meets it.

client.py    its API: asked and told, errors by name
webhook.py   signed events: read and verified
export.py    its demographic export: read leniently
conduct.py   its rules of conduct: what may be done to whom, and how long a message is
statuses.py  what a status changes here; the one way in for all three sources
polling.py   a study's submissions asked for and applied
matching.py  our record against Prolific's, and the sentence of what is wrong
actions.py   asking to return, approving, rejecting, writing: recorded, sent once
"""
