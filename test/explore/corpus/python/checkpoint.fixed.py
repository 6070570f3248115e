"""Creates the payment links of a batch. What was done after the last checkpoint is done again, with the same keys."""

from pathlib import Path

from client import create_link

checkpoint = Path("done.txt")
invoices = ["inv_1", "inv_2", "inv_3"]
done = int(checkpoint.read_text()) if checkpoint.exists() else 0
for index, invoice in enumerate(invoices[done:], done + 1):
    create_link(invoice, key=f"batch-{invoice}")
    if index % 2 == 0 or index == len(invoices):
        checkpoint.write_text(str(index))
print(f"{len(invoices)} invoices have a link")
