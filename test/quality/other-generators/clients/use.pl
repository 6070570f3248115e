use strict;
use warnings;
use Mojo::URL;
use OpenAPI::Client;

my ($users, $control) = map {
  my $client = OpenAPI::Client->new("file://$_", base_url => Mojo::URL->new($ENV{MOCK_URL}));
  $client->ua->on(start => sub { $_[1]->req->headers->authorization('Bearer any')->accept('application/json') });
  $client;
} @ARGV;

sub call {
  my ($client, $operation, %params) = @_;
  my $response = $client->call($operation => {project => 'acme', %params})->res;
  die "$operation: " . $response->body unless $response->is_success;
  return $response->json;
}

call($users, 'createUser', body => {email => 'ada@example.com'});
my $partner = {user => {}};
my $link = call($users, 'createPaymentLink', body => {invoice => 'inv_1', type => 'partner', partner => $partner});
my $paid = call($control, 'payPaymentLink', paymentLink => $link->{id}, body => {});
die 'not paid' unless $paid->{status} eq 'completed';
call($control, 'verifyRequests', body => {match => {operation => 'createPaymentLink'}, times => 1});
die 'not completed'
  unless call($users, 'retrievePaymentLink', paymentLink => $link->{id})->{status} eq 'completed';
