import type { TestEvent } from 'node:test/reporters'

/** A reporter of Node's test runner: the test files that failed, a line each. */
export default async function* failedFiles(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of events) {
    // `runFiles` makes a suite of each file, named as the file; what is inside is nested.
    if (type === 'test:fail' && data.nesting === 0) yield `${data.name}\n`
  }
}
