<?php

declare(strict_types=1);

use PHPUnit\Framework\TestCase;

require_once __DIR__ . '/../src/Checkout.php';
require_once __DIR__ . '/PaylinkProject.php';

final class CheckoutTest extends TestCase
{
    use PaylinkProject;

    private Checkout $checkout;

    protected function setUp(): void
    {
        $this->checkout = new Checkout(getenv('PAYLINK_MOCK_URL'), 'any', $this->project);
    }

    public function testStartsWithAnActiveLink(): void
    {
        $this->assertSame('active', $this->checkout->start('inv_1')['status']);
    }

    public function testIsPaidWhenTheCustomerHasPaid(): void
    {
        $link = $this->checkout->start('inv_1');
        $this->assertFalse($this->checkout->isPaid($link));
        $this->control('POST', "/paymentLinks/{$link['id']}/pay");
        $this->assertTrue($this->checkout->isPaid($link));
    }

    public function testCreatesALinkForTheInvoice(): void
    {
        $this->checkout->start('inv_1');
        $match = ['operation' => 'createPaymentLink', 'body' => ['invoice' => 'inv_1']];
        $this->control('POST', '/requests/verify', ['match' => $match, 'times' => 1]);
    }

    public function testCancelsTheLinkOfALostResponse(): void
    {
        $match = ['operation' => 'createPaymentLink'];
        $effect = ['connection' => 'close'];
        $this->control('POST', '/faults', ['match' => $match, 'phase' => 'after', 'effect' => $effect]);
        $this->control('POST', '/faults', ['effect' => ['stale' => ['changes' => 1]]]);
        $this->assertSame('active', $this->checkout->start('inv_1')['status']);
        $match = ['operation' => 'cancelPaymentLink', 'status' => 200];
        $this->control('POST', '/requests/verify', ['match' => $match, 'times' => 1]);
    }
}
