"""Creates the payment links of a batch. A file has the number of invoices that are done, written after every second one."""

from pathlib import Path

from client import create_link

checkpoint = Path("done.txt")
invoices = ["inv_1", "inv_2", "inv_3"]
done = int(checkpoint.read_text()) if checkpoint.exists() else 0
for index, invoice in enumerate(invoices[done:], done + 1):
    create_link(invoice)
    if index % 2 == 0 or index == len(invoices):
        checkpoint.write_text(str(index))
print(f"{len(invoices)} invoices have a link")
