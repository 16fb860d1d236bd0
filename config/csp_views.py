"""Every exception from the site's Content-Security-Policy stands here, each with its reason."""

from csp.constants import UNSAFE_INLINE
from csp.decorators import csp_update

# Swagger writes style attributes and draws its icons from data: addresses. Scripts stay our own.
api_docs_policy = csp_update({"style-src": [UNSAFE_INLINE], "img-src": ["data:"]})
