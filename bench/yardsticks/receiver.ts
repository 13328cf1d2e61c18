// A receiver of notifications: accepts everything, hangs at /hang, and reports at GET / what came and when.
import { createServer } from 'node:http'

let count = 0
let firstAt = 0
let lastAt = 0

const server = createServer((request, response) => {
  if (request.url === '/hang') return
  if (request.method === 'GET') {
    response.end(JSON.stringify({ count, seconds: (lastAt - firstAt) / 1000 }))
    return
  }
  request.resume()
  request.on('end', () => {
    lastAt = performance.now()
    if (count++ === 0) firstAt = lastAt
    response.writeHead(204).end()
  })
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (address !== null && typeof address === 'object') console.log(`ready on http://127.0.0.1:${address.port}`)
})
process.once('SIGTERM', () => {
  server.closeAllConnections()
  server.close()
})
