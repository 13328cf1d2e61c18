// Opens PostgreSQL or the embedded engine.
export { openDatabase } from './database.ts'
export { hasCluster } from './embedded-cluster.ts'
export { type EmbeddedEngine, openEmbedded } from './embedded.ts'
export { isConnectionLost, isSignInRefused, sqlState } from './database-error.ts'
