// The fields that the store API returns for a payment collection by default, and its status.
const fields = ['id', 'currency_code', 'amount', 'status', '*payment_sessions']

/** Reads a payment collection with its sessions; needs no access token. */
export const GET = async (request, response) => {
  const query = request.scope.resolve('query')
  const { data } = await query.graph({ entity: 'payment_collection', filters: { id: request.params.id }, fields })
  response.status(data.length === 0 ? 404 : 200).json({ payment_collection: data[0] })
}
