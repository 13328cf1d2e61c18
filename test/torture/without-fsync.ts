// Loaded into a service by a control: nothing is forced to the disk, and the engine learns that it was.
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

fs.fsyncSync = () => undefined
syncBuiltinESMExports()
