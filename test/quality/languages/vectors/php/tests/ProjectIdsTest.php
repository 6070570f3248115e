<?php

declare(strict_types=1);

use PHPUnit\Framework\TestCase;

require_once __DIR__ . '/projectIdFor.php';

final class ProjectIdsTest extends TestCase
{
    public function testFollowsTheRule(): void
    {
        foreach (json_decode(file_get_contents(__DIR__ . '/../../project-ids.json')) as $vector) {
            $this->assertSame($vector->id, projectIdFor(...$vector->names));
        }
    }
}
