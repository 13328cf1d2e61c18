/** Who decides in the sandbox, and who confirms: large sums, credits beyond the money and corrections take two. */
export const simulatedOperators = ['operator:simulated', 'operator:simulated-second'] as const
