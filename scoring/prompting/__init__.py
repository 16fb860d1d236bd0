"""Prompts as versioned files beside the metrics, and asking them for JSON. PURE: no Django."""
