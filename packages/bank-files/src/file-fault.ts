/** What is wrong with a file, and where, for a person to read. */
export type LineFault = { readonly line: number; readonly reason: string }

/** Why a file cannot be read: `faults` lists every fault that was found, and `line` and `reason` are those of the first. */
export class FileFault extends Error implements LineFault {
  readonly line: number
  readonly reason: string
  readonly faults: readonly LineFault[]

  constructor(line: number, reason: string, faults: readonly LineFault[] = [{ line, reason }]) {
    super(`Line ${line}: ${reason}`)
    this.name = 'FileFault'
    this.line = line
    this.reason = reason
    this.faults = faults
  }
}

/** After this many faults the rest of a file is not read. */
const maxFaults = 50

/** The faults of the rows of a file. */
export class FaultList {
  readonly list: LineFault[] = []
  readonly #reasons = new Set<string>()

  /** Adds a fault; throws the one that is too many. */
  add(line: number, reason: string): void {
    if (this.list.length + 1 >= maxFaults) throw new FileFault(line, reason)
    this.list.push({ line, reason })
    this.#reasons.add(reason)
  }

  /** Adds a fault that would apply to every row of an account, once. */
  addOnce(line: number, reason: string): void {
    if (!this.#reasons.has(reason)) this.add(line, reason)
  }
}
