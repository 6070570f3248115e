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

    /** Returns the only payment link of the invoice. A lost response may have left another one, which it cancels. */
    public function start(string $invoice): array
    {
        try {
            return $this->create($invoice);
        } catch (NoResponse) {
            $link = $this->create($invoice);
        }
        foreach ($this->listWith($link) as $other) {
            if ($other['id'] !== $link['id']) {
                $this->call('POST', "/{$other['id']}/cancel");
            }
        }
        return $link;
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

    /** Lists the active links of the invoice. The list may lag behind: when it has this link, it has the older ones too. */
    private function listWith(array $link): array
    {
        for ($polls = 0; $polls < 50; $polls++) {
            $links = $this->call('GET', "?status=active&invoice={$link['invoice']}")['items'];
            if (in_array($link['id'], array_column($links, 'id'), true)) {
                return $links;
            }
            usleep(200_000);
        }
        throw new RuntimeException("The list does not show {$link['id']}.");
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
