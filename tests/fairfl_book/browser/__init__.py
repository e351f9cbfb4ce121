"""A reader in JupyterLab, driven in headless Chromium: `make test-browser`."""
