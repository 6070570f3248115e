# Functions that call the API. They fail for an error and for a broken connection.
links="$BASE_URL/projects/acme/paymentLinks"

# call [options of curl] URL
call() {
  curl -sf -H 'Authorization: Bearer any' -H 'Accept: application/json' -H 'Content-Type: application/json' "$@"
}

# create_link INVOICE [options of curl]
create_link() {
  body='{"invoice":"'"$1"'","type":"partner","partner":{"user":{}}}'
  shift
  call "$links" -d "$body" "$@"
}

# Prints the ids of the links in the JSON of stdin.
ids() {
  grep -o '"id":"[^"]*"' | cut -d '"' -f 4
}
