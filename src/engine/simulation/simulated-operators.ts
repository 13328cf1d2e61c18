/**
 * Who decides in the sandbox, and who confirms: one operator alone cannot correct a credit, credit more than the money
 * covers, or pay out large sums.
 */
export const simulatedOperators = ['operator:simulated', 'operator:simulated-second'] as const
