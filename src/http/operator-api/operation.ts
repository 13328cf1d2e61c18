/** Members that the schemas of all operations of the operator API have. */
export const operation = (operationId: string, summary: string, description?: string) => ({
  tags: ['operator'],
  security: [{ operator: [] }],
  operationId,
  summary,
  ...(description === undefined ? {} : { description }),
})
