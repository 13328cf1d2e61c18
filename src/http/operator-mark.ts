/** The header that all answers of the operator API have, so that `payin` takes no other service for ours. */
export const operatorMark = ['payin-api', 'operator'] as const
