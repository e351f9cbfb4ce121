# The book in a container, with PyTorch's CPU build, at the lock's versions, served to this computer alone:
#   docker build -t fairfl .
#   docker run --rm -p 127.0.0.1:8888:8888 -v fairfl-work:/home/reader/book/work fairfl
# and open the address with the token that it prints. Your copies and answers stay in the volume fairfl-work.
FROM python:3.12-slim

ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PATH=/home/reader/venv/bin:$PATH
RUN useradd --create-home --uid 1000 reader && install -d -o reader -g reader /home/reader/book /home/reader/book/work
USER 1000
WORKDIR /home/reader/book

# What the book needs, in a layer that lasts until one of these two files changes. The packages are hollow meanwhile: pip wants to see their folders.
COPY --chown=reader:reader pyproject.toml requirements.lock ./
RUN python -m venv /home/reader/venv \
    && mkdir -p fairfl book/fairfl_book reproductions && touch README.md LICENSE && echo '__version__ = "0"' > fairfl/__init__.py \
    && pip install --constraint requirements.lock --extra-index-url https://download.pytorch.org/whl/cpu ".[lab]" \
    && pip uninstall --yes fairfl && rm -rf fairfl book/fairfl_book reproductions build fairfl.egg-info README.md LICENSE

COPY --chown=reader:reader . .
RUN pip install --no-deps --editable . \
    && mkdir -p ../.jupyter && echo '{"ServerApp": {"ip": "0.0.0.0"}}' > ../.jupyter/jupyter_server_config.json

EXPOSE 8888
HEALTHCHECK --start-period=60s --interval=30s --timeout=10s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8888/api', timeout=5)"]
CMD ["fairfl-book", "lab", "--port", "8888", "--no-browser"]
