"""How each scene of the demo is put together from places, people and things."""

from __future__ import annotations

from collections.abc import Callable, Collection
from random import Random

from demo import places, props, strays
from demo.canvas import Canvas
from demo.figures import JEANS_AND_SHIRT, SKINS, Look, seated, standing

COWBOY = Look("trousers", "#c96f4a", lower="#5b6f8f", head="cowboy", glasses=True)
NP_BRIDE = Look("gown", "#b8322f", trim="#e8b84a", head="veil", head_colour="#c5403a")
NP_GROOM = Look(
    "tunic",
    "#efe6d2",
    lower="#e0d5bb",
    head="cap",
    head_colour="#b5483f",
    vest="#46505f",
    skin=SKINS[1],
)
IR_BRIDE = Look("gown", "#faf6ee", trim="#e6d6b8", head="veil", head_colour="#ffffff")
IR_GROOM = Look("trousers", "#333a52", lower="#2b3145", tie="#8a3040", skin=SKINS[2])
GUEST_COLOURS = ("#3f7f86", "#7a5a8c", "#b5653f", "#5d7f4f", "#a34f6a", "#446a9a")

Keys = Collection[str]


def paint_np_wedding(c: Canvas, keys: Keys, light: places.Light, rng: Random) -> None:
    places.sky(c, light)
    if "mountains" in keys:
        places.snow_mountains(c, light)
        places.green_hills(c, light)
    else:
        places.bare_plain(c, light)
    stray_things(c, keys, ("sky", "back"))
    if "house" in keys:
        places.brick_house(c, 48, 236)
    (places.paving if "courtyard" in keys else places.grass)(c)
    _np_wedding_guests(c, keys, rng.sample(GUEST_COLOURS, 4))
    if "canopy" in keys:
        props.flower_canopy(c, 512, 646)
    bride = NP_BRIDE.but(necklace="#3f8a4f" if "beads" in keys else None, mark="marks" in keys)
    groom = NP_GROOM.but(mark="marks" in keys)
    couple(c, keys, bride, groom, 640)
    if "lamp" in keys:
        props.oil_lamp(c, 318, 716, 130)
    if "jar" in keys:
        props.water_jar(c, 702, 716)
    if "fire" in keys:
        props.fire(c, 512, 734)
    if "fruit" in keys:
        for x in (390, 634):
            props.fruit_plate(c, x, 744, ("#d9574a", "#f2b23a", "#8fb04f"))
    stray_things(c, keys, ("left", "right", "front"))


def _np_wedding_guests(c: Canvas, keys: Keys, colours: list[str]) -> None:
    if "both_sides" in keys:
        arms = "greet" if "greeting" in keys else "down"
        for i, x in enumerate((112, 212)):
            guest = Look("gown", colours[i], trim="#e8c77a", hair="bun", skin=SKINS[i])
            standing(c, x, 610 + 14 * i, 250, guest, arms)
    player = Look("tunic", "#efe6d2", head="cap", head_colour=colours[2], vest=colours[3])
    for i, x in enumerate((792, 896)):
        playing = ("hold", "horn")[i] if "music" in keys else "down"
        standing(c, x, 612 + 12 * i, 252, player.but(skin=SKINS[2 + i % 2]), playing)
    if "music" in keys:
        props.drum(c, 792, 484)
        props.long_horn(c, 896, 418)


def couple(c: Canvas, keys: Keys, bride: Look, groom: Look, y: float) -> None:
    left, right = (442, 582) if "together" in keys else (352, 682)
    if "jeans" in keys:
        bride = JEANS_AND_SHIRT
    if "cowboy" in keys:
        groom = COWBOY
    seated(c, left, y, 275, bride)
    seated(c, right, y, 285, groom)


def paint_ir_wedding(c: Canvas, keys: Keys, light: places.Light, rng: Random) -> None:
    if "room" in keys:
        places.painted_room(c, light)
        places.ground(c, "#c9a97d", 540)
    else:
        places.plain_hall(c)
    stray_things(c, keys, ("sky", "back"))
    if "carpet" in keys:
        props.carpet(c, 512, 560, 900, 200, medallion=False)

    _ir_wedding_guests(c, keys, rng.sample(GUEST_COLOURS, 5))
    couple(c, keys, IR_BRIDE, IR_GROOM, 626)
    if "spread" in keys:
        props.spread(c, 512, 728)
    if "mirror" in keys:
        props.mirror_and_candles(c, 512, 708)
    if "almonds" in keys:
        props.almond_bowls(c, 512, 752)
    if "fruit" in keys:
        props.fruit_plate(c, 686, 742, ("#b8323f", "#d9574a", "#e9a23c"))
    if "roses" in keys:
        props.roses(c, 352, 738)
        props.roses(c, 222, 716, "#e9a2a8")
    stray_things(c, keys, ("left", "right", "front"))


def _ir_wedding_guests(c: Canvas, keys: Keys, colours: list[str]) -> None:
    def guest(i: int, scarf: str) -> Look:
        if "scarves" in keys:
            return Look(
                "coat",
                colours[i],
                lower="#3b3b4f",
                head="scarf",
                head_colour=scarf,
                skin=SKINS[i % 3],
            )
        return Look("trousers", colours[i], lower="#56606e", hair="long", skin=SKINS[i % 3])

    arms = "clap" if "clapping" in keys else "down"
    standing(c, 120, 640, 255, guest(0, "#e8c77a"), arms)
    standing(
        c,
        904,
        640,
        262,
        Look("trousers", "#f3ecdf", lower="#4a4f63", vest=colours[3], skin=SKINS[2]),
        arms,
    )
    holding = "raise" if "held_cloth" in keys else "down"
    for i, x in enumerate((272, 752)):
        standing(c, x, 616, 262, guest(1 + i, ("#f1e4d3", "#d9a0b5")[i]), holding)
    if "held_cloth" in keys:
        props.held_cloth(c, 318, 706, 352)


def paint_np_tea(c: Canvas, keys: Keys, light: places.Light, rng: Random) -> None:
    colours = rng.sample(GUEST_COLOURS, 4)
    places.sky(c, light)
    if "terraces" in keys:
        places.green_hills(c, light)
        places.terraces(c, light)
    else:
        places.bare_plain(c, light)
    stray_things(c, keys, ("sky", "back"))
    if "tree" in keys:
        places.broad_tree(c, 936, 575, 370)
    places.ground(c, "#bfa277", 530)
    if "shop" in keys:
        places.tea_shop(c, 62)
    if "mats" in keys:
        props.straw_mats(c, [(480, 652), (650, 640), (822, 652)])
    shawl = Look("gown", "#a34f6a", trim="#e8d9b5", hair="bun", skin=SKINS[1])
    cap = Look(
        "tunic", "#efe6d2", lower="#dcd0b4", head="cap", head_colour="#b5483f", vest="#4f5b46"
    )
    sitting = [
        (480, 652, JEANS_AND_SHIRT if "jeans" in keys else shawl),
        (650, 640, Look("trousers", colours[0], lower="#5a5f74", skin=SKINS[3])),
        (822, 652, COWBOY if "cowboy" in keys else cap),
    ]
    for x, y, look in sitting:
        seated(c, x, y, 272, look, "hold" if "holding" in keys else "lap")
        if "holding" in keys:
            props.tea_glasses(c, [(x, y - 70)], "#c99a6b", saucer=False, steaming=False)
    keeper = Look("gown", colours[1], trim="#e8c77a", hair="bun", skin=SKINS[2])
    if "serving" in keys:
        standing(c, 316, 676, 262, keeper, "reach_left")
    if "stove" in keys:
        props.kettle_on_stove(c, 178, 716)
    if "table" in keys:
        props.low_table(c, 650, 704, 270)
    if "glasses" in keys:
        props.tea_glasses(c, [(560, 698), (608, 700), (742, 698)], "#c99a6b", saucer=False)
    if "bread" in keys:
        props.ring_bread(c, 674, 698)
    stray_things(c, keys, ("left", "right", "front"))


def paint_ir_tea(c: Canvas, keys: Keys, light: places.Light, rng: Random) -> None:
    colours = rng.sample(GUEST_COLOURS, 4)
    places.sky(c, light)
    places.bare_plain(c, light)
    stray_things(c, keys, ("sky", "back"))
    if "niches" in keys:
        places.garden_wall(c)
    places.grass(c)
    if "cypress" in keys:
        for x, y, h in ((70, 556, 350), (176, 544, 290), (960, 556, 360)):
            places.cypress(c, x, y, h)
    props.wooden_platform(c, 590, 520, 640)
    if "carpet" in keys:
        props.carpet(c, 590, 526, 640, 138)
    scarf = Look("coat", "#3f7f86", head="scarf", head_colour="#e3a94a")
    waistcoat = Look("trousers", "#f7f1e6", lower="#4a4f63", vest="#46505f", skin=SKINS[2])
    if "half_circle" in keys:
        second = Look("coat", colours[0], head="scarf", head_colour="#ecdcc8", skin=SKINS[1])
        if "scarf" not in keys:
            second = Look("trousers", colours[0], lower="#56606e", hair="long", skin=SKINS[1])
        seated(c, 598, 590, 248, second)
        seated(c, 716, 590, 252, Look("trousers", colours[1], lower="#55586a", skin=SKINS[3]))
    host = JEANS_AND_SHIRT if "jeans" in keys else scarf
    seated(c, 386, 640, 266, host, "reach_right" if "pouring" in keys else "lap")
    seated(c, 824, 642, 268, COWBOY if "cowboy" in keys else waistcoat)
    if "samovar" in keys:
        props.samovar(c, 500, 646)
    if "glasses" in keys:
        props.tea_glasses(c, [(574, 640), (628, 650), (706, 648)], "#a8452a", saucer=True)
    props.sugar_and_dates(c, 640, 668, "sugar" in keys, "dates" in keys)
    if "pool" in keys:
        props.pool(c, 166, 694)
    stray_things(c, keys, ("left", "right", "front"))


STRAY_PLACES: dict[str, tuple[str, Callable[[Canvas, float, float], None], float, float]] = {
    "balloon": ("sky", strays.balloon, 400, 150),
    "mirror_ball": ("sky", strays.mirror_ball, 400, 120),
    "lanterns": ("sky", strays.paper_lanterns, 512, 76),
    "skyscrapers": ("back", strays.skyscrapers, 668, 535),
    "snowman": ("left", strays.snowman, 88, 752),
    "palm": ("left", strays.palm, 84, 744),
    "robot": ("left", strays.robot, 98, 750),
    "parasol": ("left", strays.parasol, 122, 740),
    "surfboard": ("right", strays.surfboard, 952, 752),
    "cactus": ("right", strays.cactus, 942, 752),
    "traffic_light": ("right", strays.traffic_light, 966, 748),
    "pizza": ("front", strays.pizza, 786, 742),
    "penguin": ("front", strays.penguin, 790, 750),
    "beach_ball": ("front", strays.beach_ball, 792, 716),
}


def stray_things(c: Canvas, keys: Keys, where: Collection[str]) -> None:
    for key, (place, draw, x, y) in STRAY_PLACES.items():
        if place in where and key in keys:
            draw(c, x, y)


PAINTERS = {
    ("NP", "wedding"): paint_np_wedding,
    ("NP", "tea"): paint_np_tea,
    ("IR", "wedding"): paint_ir_wedding,
    ("IR", "tea"): paint_ir_tea,
}
