#!/bin/sh
# Replaces the payment link of an invoice. If the old link cannot be canceled, somebody else has canceled it.
set -e
. "$(dirname "$0")/client.sh"

found=$(call "$links?invoice=inv_7&status=active,completed")
case $found in *'"completed"'*) echo 'inv_7 is paid'; exit ;; esac
for link in $(echo "$found" | ids); do
  call -X POST "$links/$link/cancel" || true
done
create_link inv_7
