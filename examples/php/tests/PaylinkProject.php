<?php

declare(strict_types=1);

require_once __DIR__ . '/projectIdFor.php';

if (!getenv('PAYLINK_MOCK_URL') || !getenv('PAYLINK_MOCK_ADMIN_TOKEN')) {
    fwrite(STDERR, "Set PAYLINK_MOCK_URL and PAYLINK_MOCK_ADMIN_TOKEN to those of a running mock.\n");
    exit(1);
}

/** Gives each test a project of its own. A failed test prints the report of its project. */
trait PaylinkProject
{
    private string $project;

    /** @before */
    public function createProject(): void
    {
        $this->project = projectIdFor(...explode('::', $this->toString()));
        $this->control('POST', '/reset'); // An earlier run may have used the same mock.
    }

    protected function onNotSuccessfulTest(Throwable $failure): never
    {
        fwrite(STDERR, $this->control('GET', '/report') . "\n");
        throw $failure;
    }

    /** Calls the control API for this project and returns the body of the response. */
    private function control(string $method, string $path, ?array $body = null): string
    {
        $headers = ['Authorization: Bearer ' . getenv('PAYLINK_MOCK_ADMIN_TOKEN'), 'Content-Type: application/json'];
        $content = $body === null ? '' : json_encode($body);
        $http = ['method' => $method, 'header' => $headers, 'content' => $content, 'ignore_errors' => true];
        $address = getenv('PAYLINK_MOCK_URL') . "/__admin/projects/{$this->project}$path";
        $text = file_get_contents($address, false, stream_context_create(['http' => $http]));
        $this->assertMatchesRegularExpression('/ 2\d\d /', $http_response_header[0], $text);
        return $text;
    }
}
