/** The header on all answers of the operator API, by which `payin` recognises the service. */
export const operatorMark = ['payin-api', 'operator'] as const
