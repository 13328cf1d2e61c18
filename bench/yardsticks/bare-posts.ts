// What no sender can beat: POSTs of the same size by the same client, without signature, order, log or database.
import { createServer } from 'node:http'
import { Agent } from 'undici'

const { POSTS_TO = '', POSTS = '0', POSTS_AT_ONCE = '1', POSTS_BODY = '' } = process.env
const agent = new Agent({ pipelining: 1, allowH2: false })
let left = Number(POSTS)

const post = async (): Promise<void> => {
  while (left-- > 0) {
    const { body } = await agent.request({
      origin: POSTS_TO,
      path: '/',
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: POSTS_BODY,
    })
    await body.dump()
  }
}

await Promise.all(Array.from({ length: Number(POSTS_AT_ONCE) }, post))
// Every server of the benchmark prints its address when it is ready; this one when everything was posted.
const server = createServer((_request, response) => response.end())
server.listen(0, '127.0.0.1', () => console.log('done on http://127.0.0.1'))
process.once('SIGTERM', () => server.close())
