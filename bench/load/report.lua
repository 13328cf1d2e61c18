-- Prints the counts of a load as one line of JSON, for bench/rig/load.ts.
-- Answers of 400 and above count as refused; requests without a complete answer count as broken.
return function(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    'RESULT {"answers":%d,"refused":%d,"broken":%d,"seconds":%.6f,"p50Ms":%.3f,"p90Ms":%.3f,"p99Ms":%.3f,"maxMs":%.3f}\n',
    summary.requests, errors.status, errors.connect + errors.read + errors.write + errors.timeout,
    summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(90) / 1e3, latency:percentile(99) / 1e3,
    latency.max / 1e3))
end
