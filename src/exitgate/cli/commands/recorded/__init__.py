"""Commands that judge policies by recorded runs."""
