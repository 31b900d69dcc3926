export { labelSimilarity, sharedLabels, topologySimilarity } from '../alert/similarity.ts';
