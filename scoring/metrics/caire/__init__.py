"""CAIRe: how relevant a picture is to any label, by what a knowledge base knows of it."""
