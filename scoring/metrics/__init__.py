"""The automatic metrics. Importing this package registers all of them and loads no model."""

from scoring.backends.image_reward import is_installed as image_reward_is_installed
from scoring.metrics.ahead import AHEAD, AHEAD_JUDGE
from scoring.metrics.base import all_metrics, get_metric, register
from scoring.metrics.caire.baselines import CAIRE_CHAT, CAIRE_PROBES
from scoring.metrics.caire.likelihood import CAIRE_LIKELIHOOD
from scoring.metrics.caire.scores import CAIRE
from scoring.metrics.culturescore import CULTURESCORE
from scoring.metrics.culturevidbench import PLAIN_JUDGE, TARGET_JUDGE
from scoring.metrics.cure import CURE
from scoring.metrics.frame_similarity import FRAME_SIMILARITY
from scoring.metrics.image_reward import IMAGE_REWARD
from scoring.metrics.image_text import CLIPSCORE, PICKSCORE
from scoring.metrics.question_judge import JUDGE
from scoring.metrics.rating_judges import UNIFIED_REWARD, VIESCORE
from scoring.metrics.shown_text import VQASCORE
from scoring.metrics.triplet_judge import TRIPLET_JUDGE
from scoring.metrics.vendi import VENDI

register(AHEAD)
register(AHEAD_JUDGE)
register(CAIRE)
register(CAIRE_CHAT)
register(CAIRE_LIKELIHOOD)
register(CAIRE_PROBES)
register(CLIPSCORE)
register(CULTURESCORE)
register(CURE)
register(FRAME_SIMILARITY)
if image_reward_is_installed():
    register(IMAGE_REWARD)
register(JUDGE)
register(PICKSCORE)
register(PLAIN_JUDGE)
register(TARGET_JUDGE)
register(TRIPLET_JUDGE)
register(UNIFIED_REWARD)
register(VENDI)
register(VIESCORE)
register(VQASCORE)

__all__ = ["all_metrics", "get_metric"]
