/** With what the names of a cell's connections begin: cells that share a database must not take each other's for theirs. */
export const programName = (schema: string | undefined): string => (schema === undefined ? 'payin' : `payin/${schema}`)
