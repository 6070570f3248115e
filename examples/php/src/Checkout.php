<?php

declare(strict_types=1);

final class NoResponse extends RuntimeException
{
}

/** The code under test. It knows the service by a base URL, a token and a project. */
final class Checkout
{
    public function __construct(private string $baseUrl, private string $token, private string $project)
    {
    }

    /** Returns the payment link of the invoice. After a lost response it looks for the link before it tries again. */
    public function start(string $invoice): array
    {
        try {
            return $this->create($invoice);
        } catch (NoResponse) {
            return $this->findActive($invoice) ?? $this->create($invoice);
        }
    }

    public function isPaid(array $link): bool
    {
        return $this->call('GET', "/{$link['id']}")['status'] === 'completed';
    }

    private function create(string $invoice): array
    {
        $partner = ['user' => new stdClass()];
        return $this->call('POST', '', ['invoice' => $invoice, 'type' => 'partner', 'partner' => $partner]);
    }

    private function findActive(string $invoice): ?array
    {
        return $this->call('GET', "?status=active&invoice=$invoice")['items'][0] ?? null;
    }

    private function call(string $method, string $path, ?array $body = null): array
    {
        $headers = ["Authorization: Bearer {$this->token}", 'Accept: application/json', 'Content-Type: application/json'];
        $content = $body === null ? '' : json_encode($body);
        $context = stream_context_create(['http' => ['method' => $method, 'header' => $headers, 'content' => $content]]);
        $text = @file_get_contents("{$this->baseUrl}/projects/{$this->project}/paymentLinks$path", false, $context);
        if ($text === false) {
            throw new NoResponse(error_get_last()['message']);
        }
        return json_decode($text, true, flags: JSON_THROW_ON_ERROR);
    }
}
