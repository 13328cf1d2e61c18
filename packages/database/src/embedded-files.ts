import { fsyncSync } from 'node:fs'
import type { PGlite } from '@electric-sql/pglite'
import { NodeFS } from '@electric-sql/pglite/nodefs'

type EngineModule = PGlite['Module']
type NodeFSInit = Parameters<NodeFS['init']>

type FileNode = { readonly mount: { readonly type: FileSystem } }
type FileStream = { readonly fd: number; readonly nfd: number; readonly node: FileNode; readonly path: string }

/** The parts of Emscripten's file system that are changed here. */
type FileSystem = {
  readonly node_ops: { mknod: (parent: FileNode, name: string, mode: number, device: number) => FileNode }
  readonly stream_ops: { open: (stream: FileStream) => void; fsync?: (stream: FileStream) => number }
}
type Files = {
  lookupPath(path: string): { readonly node: FileNode }
  lookupNode(parent: FileNode, name: string): FileNode
  destroyNode(node: FileNode): void
  closeStream(fd: number): void
  unlink(path: string): void
  readonly ErrnoError: new (code: number) => Error
}

const EIO = 29

const ignoreErrors = (work: () => void): void => {
  try {
    work()
  } catch {
    // There is nothing to remove.
  }
}

/**
 * Removes what Emscripten leaves of a file that could not be created or opened, for example when the process is out of
 * file descriptors. It registers the file before it creates it, so PostgreSQL's next try would find that the file
 * exists (58P02) until the engine is reopened; and it keeps the slot of the stream, of which there are 4096.
 */
const forgetFailedFiles = (files: Files, { node_ops: nodes, stream_ops: streams }: FileSystem): void => {
  const { mknod } = nodes
  const { open } = streams
  let made: FileNode | undefined
  nodes.mknod = (parent, name, mode, device) => {
    try {
      return (made = mknod(parent, name, mode, device))
    } catch (error) {
      ignoreErrors(() => files.destroyNode(files.lookupNode(parent, name)))
      throw error
    }
  }
  streams.open = (stream) => {
    try {
      open(stream)
    } catch (error) {
      ignoreErrors(() => files.closeStream(stream.fd))
      if (stream.node === made) ignoreErrors(() => files.unlink(stream.path))
      throw error
    } finally {
      made = undefined
    }
  }
}

/**
 * The embedded engine's files on disk. PGlite's own NodeFS has no fsync: PostgreSQL gets "done" for an answer, and a
 * power cut destroys the data. Here every fsync reaches the disk, and `onFsync` is called after it.
 */
export class DurableNodeFS extends NodeFS {
  readonly #onFsync: (() => void) | undefined

  /** Without `onFsync` nothing is synced to disk, as a control for the start-up check. */
  constructor(directory: string, onFsync: (() => void) | undefined) {
    super(directory)
    this.#onFsync = onFsync
  }

  override async init(pg: NodeFSInit[0], options: NodeFSInit[1]): ReturnType<NodeFS['init']> {
    const { emscriptenOpts } = await super.init(pg, options)
    const preRun = [...(emscriptenOpts.preRun ?? []), (module: EngineModule) => this.#install(module)]
    return { emscriptenOpts: { ...emscriptenOpts, preRun } }
  }

  #install(module: EngineModule): void {
    const files = module.FS as unknown as Files
    const { type } = files.lookupPath('/pglite/data').node.mount
    forgetFailedFiles(files, type)
    const onFsync = this.#onFsync
    if (!onFsync) return
    type.stream_ops.fsync = (stream) => {
      try {
        fsyncSync(stream.nfd)
      } catch {
        throw new files.ErrnoError(EIO) // PostgreSQL panics on it, and the worker is replaced: nothing is acknowledged
      }
      onFsync()
      return 0
    }
  }
}
