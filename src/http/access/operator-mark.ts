/** The header of all responses of the operator API, by which `payin` recognises the service. */
export const operatorMark = ['payin-api', 'operator'] as const
