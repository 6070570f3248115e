# The rule for project ids, as in examples/project-ids.json: a readable part, and a hash of all names.
def project_id_for(*names)
  readable = names.last.to_s.gsub(/[^A-Za-z0-9]+/, "-")[0, 40].gsub(/^-|-$/, "").downcase
  readable = "test" if readable.empty?
  # FNV-1a with 64 bits
  hash = names.join("\0").encode("UTF-8").each_byte.reduce(0xcbf29ce484222325) do |state, byte|
    (state ^ byte) * 0x100000001b3 % 2**64
  end
  format("%s-%016x", readable, hash)
end
