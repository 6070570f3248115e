<?php

declare(strict_types=1);

/** The rule for project ids, as in examples/project-ids.json: a readable part, and a hash of all names. */
function projectIdFor(string ...$names): string
{
    $last = $names === [] ? '' : end($names);
    $readable = strtolower(trim(substr(preg_replace('/[^A-Za-z0-9]+/', '-', $last), 0, 40), '-'));
    return ($readable === '' ? 'test' : $readable) . '-' . hash('fnv1a64', implode("\0", $names));
}
