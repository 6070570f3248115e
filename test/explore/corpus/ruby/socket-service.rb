# A shop with Ruby's TCPServer. It keeps the address of a payment link in a file. MISTAKE names its mistake.
require 'securerandom'
require 'socket'
require_relative 'client'

PROCESS_KEY = SecureRandom.uuid

def create_link_for(order, attempt = 1)
  case ENV.fetch('MISTAKE')
  when 'none' then create_link(order, key: "pay-#{order}")
  # Each attempt has a key of its own.
  when 'lost' then create_link(order, key: "pay-#{order}-#{attempt}")
  # After a restart, the key is another one.
  when 'crash' then create_link(order, key: "#{PROCESS_KEY}-#{order}")
  # Another click comes between the two calls.
  when 'click' then links_of(order, 'active,completed').first || create_link(order)
  end
rescue StandardError
  raise if ENV.fetch('MISTAKE') != 'lost' || attempt == 3

  create_link_for(order, attempt + 1)
end

def pay(order)
  file = "orders.#{order}"
  File.write(file, create_link_for(order)['paymentUrl']) unless File.exist?(file)
  [200, File.read(file)]
rescue StandardError => e
  [503, e.message]
end

def handle(client)
  _, path = client.gets.to_s.split
  return if path.nil?

  nil until client.gets.to_s.chomp.empty?
  status, text = pay(path.split('/')[2])
  client.write("HTTP/1.1 #{status} Done\r\nConnection: close\r\nContent-Length: #{text.bytesize}\r\n\r\n#{text}")
ensure
  client.close
end

server = TCPServer.new('127.0.0.1', ENV.fetch('PORT'))
loop { Thread.new(server.accept) { |client| handle(client) } }
