<?php
// A shop whose users top up a balance. A notification, a poll and a restart all lead to settle().
// php -S 127.0.0.1:3000 shop.php serves it, php shop.php poll is the fallback.
declare(strict_types=1);

function setting(string $name, string $default = ''): string
{
    return getenv($name) ?: $default;
}

/**
 * Changes the topups under a lock and keeps them in a file that is replaced as a whole: a crash leaves the old or the
 * new file. In your shop, use a database transaction instead.
 */
function change(callable $work): mixed
{
    $file = setting('SHOP_DATA', 'shop.json');
    $lock = fopen("$file.lock", 'c');
    flock($lock, LOCK_EX);
    try {
        $topups = is_file($file) ? json_decode(file_get_contents($file), true) : [];
        $before = $topups;
        $result = $work($topups);
        if ($topups !== $before) {
            file_put_contents("$file.new", json_encode($topups));
            rename("$file.new", $file);
        }
        return $result;
    } finally {
        fclose($lock);
    }
}

/** Calls Payin; returns the status and the answer. */
function payin(string $method, string $path, ?array $body = null): array
{
    $headers = ['Authorization: Bearer ' . setting('PAYIN_TOKEN'), 'Content-Type: application/json'];
    $http = ['method' => $method, 'header' => $headers, 'ignore_errors' => true, 'timeout' => 30];
    $http += $body === null ? [] : ['content' => json_encode($body)];
    $url = setting('PAYIN_URL', 'http://localhost:8080') . '/api/v1/merchant' . $path;
    $answer = @file_get_contents($url, false, stream_context_create(['http' => $http]));
    $status = (int) explode(' ', $http_response_header[0] ?? 'HTTP/1.1 0')[1];
    return [$status, json_decode($answer ?: 'null', true)];
}

/** Creates a payment. The order is stored first, so that it is found again whatever fails after that. */
function topUp(array $wanted): array
{
    $orderId = bin2hex(random_bytes(16));
    change(function (array &$topups) use ($orderId, $wanted): void {
        $topups[$orderId] = ['user' => $wanted['user'], 'credited' => 0, 'done' => false];
    });
    $body = ['type' => 'direct', 'method' => 'sbp', 'amount' => $wanted['amount'], 'currency' => $wanted['currency']];
    [$status, $created] = payin('POST', '/payments', $body + ['orderId' => $orderId, 'userId' => $wanted['user']]);
    return $status < 300 && $status >= 200
        ? [201, ['orderId' => $orderId, 'redirectUrl' => $created['redirectUrl']]]
        : [502, ['error' => $created['detail'] ?? 'no answer']];
}

/**
 * Reads a payment from Payin, credits the user, then acknowledges it; doing it again changes nothing. Returns whether
 * Payin answered. Under the lock one order is settled at a time: an old answer must not overwrite a newer one.
 */
function settle(string $orderId): bool
{
    $status = change(function (array &$topups) use ($orderId): ?string {
        if (!isset($topups[$orderId])) {
            return '';
        }
        [$code, $payment] = payin('GET', '/payments/byOrderId/' . rawurlencode($orderId));
        if ($code !== 200) {
            return null;
        }
        if (!in_array($payment['status'], ['paid', 'disput-paid'], true)) {
            return '';
        }
        // The credit of an order is set, not added: doing it twice has the effect of once.
        $topups[$orderId]['credited'] = (int) round(($payment['finalAmount'] ?? $payment['amount']) * 100);
        return $payment['status'];
    });
    if ($status === null || $status === '') {
        return $status === '';
    }
    // Acknowledge only now that the credit is stored.
    [$code] = payin('POST', '/payments/byOrderId/ack', ['orderId' => $orderId, 'status' => $status]);
    if ($code === 200) {
        change(function (array &$topups) use ($orderId): void {
            $topups[$orderId]['done'] = true;
        });
    }
    return $code === 200;
}

/** The fallback for lost notifications, and for what a crash interrupted. */
function poll(): never
{
    while (true) {
        $open = change(fn (array $topups): array => array_keys(array_filter($topups, fn ($each) => !$each['done'])));
        foreach ($open as $orderId) {
            settle((string) $orderId);
        }
        usleep((int) (1e6 * (float) setting('POLL_SECONDS', '10')));
    }
}

/** Whether Payin has signed these bytes within the last five minutes. */
function isSigned(string $body): bool
{
    $id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
    $time = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
    $key = base64_decode(substr(setting('PAYIN_SECRET'), strlen('whsec_')));
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$time.$body", $key, true));
    $valid = false;
    foreach (explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '') as $signature) {
        $valid = hash_equals($expected, $signature) || $valid;
    }
    return $valid && abs(time() - (int) $time) <= 300;
}

/** Answers 2xx only after the user is credited: until then Payin sends the notification again. */
function takeNotification(string $body): array
{
    if (!isSigned($body)) {
        return [400, null];
    }
    $orderId = json_decode($body, true)['data']['orderId'] ?? null;
    return [$orderId === null || settle($orderId) ? 204 : 500, null];
}

function balanceOf(string $user): array
{
    $topups = change(fn (array $topups): array => array_filter($topups, fn ($each) => $each['user'] === $user));
    return [200, ['balance' => array_sum(array_column($topups, 'credited')) / 100]];
}

if (PHP_SAPI === 'cli') {
    poll();
}
$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
$body = file_get_contents('php://input');
[$status, $content] = match (true) {
    $_SERVER['REQUEST_METHOD'] === 'POST' && $path === '/payin' => takeNotification($body),
    $_SERVER['REQUEST_METHOD'] === 'POST' && $path === '/topups' => topUp(json_decode($body, true)),
    str_starts_with($path, '/users/') => balanceOf(rawurldecode(substr($path, strlen('/users/')))),
    default => [404, null],
};
http_response_code($status);
header('Content-Type: application/json');
echo $content === null ? '' : json_encode($content);
