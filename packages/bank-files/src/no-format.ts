// A browser needs only the names of formats: there, this is the file of each of them.
export const format = undefined
