"""`python -m symroof`."""

from symroof.cli import main

main()
