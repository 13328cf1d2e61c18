// Does what `medusa start` does in the folder MEDUSA_FOLDER, on any free port, and prints its address.
import { once } from 'node:events'
import { createRequire } from 'node:module'
import type { AddressInfo, Server } from 'node:net'
import { join } from 'node:path'

type Start = (options: { directory: string; host: string; port: number }) => Promise<{ server: Server }>

const folder = process.env['MEDUSA_FOLDER'] ?? ''
process.chdir(folder)
const { default: start } = createRequire(join(folder, 'package.json'))('@medusajs/medusa/commands/start') as {
  default: Start
}
const { server } = await start({ directory: folder, host: '127.0.0.1', port: 0 })
if (!server.listening) await once(server, 'listening')
const { address, port } = server.address() as AddressInfo
console.log(`ready on http://${address}:${port}`)
