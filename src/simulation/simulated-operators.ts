/**
 * Who decides in the sandbox, and who confirms it: one operator alone neither corrects a credit, nor credits what no money
 * covers, nor pays out large sums.
 */
export const simulatedOperators = ['operator:simulated', 'operator:simulated-second'] as const
