<?php

declare(strict_types=1);

use PHPUnit\Framework\TestCase;

require_once __DIR__ . '/../src/Checkout.php';
require_once __DIR__ . '/PaylinkProject.php';

final class FailingTest extends TestCase
{
    use PaylinkProject;

    public function testFailsOnPurpose(): void
    {
        $checkout = new Checkout(getenv('PAYLINK_MOCK_URL'), 'any', $this->project);
        $this->assertSame('completed', $checkout->start('inv_1')['status']);
    }
}
