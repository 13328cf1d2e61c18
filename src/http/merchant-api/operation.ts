/** Members that the schemas of operations of the merchant API share. */
export const operation = (tag: 'balance' | 'payments', operationId: string, summary: string, description: string) => ({
  tags: [tag],
  security: [{ merchant: [] }],
  operationId,
  summary,
  description,
})
